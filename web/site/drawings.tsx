/** The drawings of the home page. Their colours stand in `style/home.css`. */

export const HeroDrawing = () => (
  <svg class="drawing" viewBox="0 0 560 400" width="560" height="400" aria-hidden="true">
    <rect class="wash" x="0" y="92" width="20" height="200" rx="5" />
    <rect class="mid" x="34" y="58" width="26" height="268" rx="6" />
    <rect class="ground" x="74.500" y="20.500" width="485" height="344" rx="12" />
    <path class="faint" d="M75 60h484v1H75z" />
    <rect class="faint" x="92" y="34" width="12" height="12" rx="6" />
    <rect class="faint" x="110" y="34" width="12" height="12" rx="6" />
    <rect class="faint" x="128" y="34" width="12" height="12" rx="6" />
    <rect class="wash" x="158" y="29" width="300" height="22" rx="11" />
    <text class="mono soft" x="174" y="44.500">
      https://…/share/…?token=Zk3v9Q
    </text>
    <text class="large" x="110" y="124">
      The plan for spring
    </text>
    <text class="soft" x="110" y="150">
      What changes, and when
    </text>
    <rect class="wash" x="110" y="272" width="64" height="60" rx="4" />
    <rect class="wash" x="186" y="246" width="64" height="86" rx="4" />
    <rect class="mid" x="262" y="222" width="64" height="110" rx="4" />
    <rect class="mid" x="338" y="204" width="64" height="128" rx="4" />
    <rect class="full" x="414" y="176" width="64" height="156" rx="4" />
    <rect class="full" x="330" y="346" width="196" height="44" rx="22" />
    <path class="on" d="M352 364h10v3h-7v12h9v-3h3v6h-15zM359 358h14v16h-14zM362 361v10h8v-10z" fill-rule="evenodd" />
    <text class="on" x="388" y="372.500">
      Link copied
    </text>
  </svg>
);

export const LinksDrawing = () => (
  <svg class="drawing" viewBox="0 0 320 170" width="320" height="170" aria-hidden="true">
    <path class="track" d="M104 85h30c16 0 16-50 32-50h14M104 85h76M104 85h30c16 0 16 50 32 50h14" />
    <rect class="ground" x=".5" y="49.500" width="104" height="72" rx="8" />
    <rect class="full" x="16" y="66" width="46" height="8" rx="2" />
    <rect class="faint" x="16" y="82" width="72" height="6" rx="2" />
    <rect class="faint" x="16" y="94" width="58" height="6" rx="2" />
    <rect class="wash" x="180" y="17" width="140" height="36" rx="18" />
    <text x="198" y="39.500">
      Board · 12 views
    </text>
    <rect class="wash" x="180" y="67" width="140" height="36" rx="18" />
    <text x="198" y="89.500">
      Clients · 3 views
    </text>
    <rect class="gone" x="180.500" y="117.500" width="139" height="35" rx="17.500" />
    <text class="soft" x="198" y="139.500">
      Press · revoked
    </text>
  </svg>
);

export const VersionsDrawing = () => (
  <svg class="drawing" viewBox="0 0 320 170" width="320" height="170" aria-hidden="true">
    <path class="track" d="M24 104h272" />
    <circle class="ground" cx="40" cy="104" r="20" />
    <circle class="mid" cx="160" cy="104" r="20" />
    <circle class="full" cx="280" cy="104" r="20" />
    <text x="40" y="108.500" text-anchor="middle">
      1
    </text>
    <text x="160" y="108.500" text-anchor="middle">
      2
    </text>
    <text class="on" x="280" y="108.500" text-anchor="middle">
      3
    </text>
    <rect class="wash" x="116" y="18" width="88" height="34" rx="17" />
    <text x="160" y="39.500" text-anchor="middle">
      pinned
    </text>
    <rect class="wash" x="232" y="18" width="88" height="34" rx="17" />
    <text x="276" y="39.500" text-anchor="middle">
      newest
    </text>
    <path class="track" d="M160 52v32M280 52v32" />
    <text class="soft" x="40" y="148" text-anchor="middle">
      Monday
    </text>
    <text class="soft" x="160" y="148" text-anchor="middle">
      Tuesday
    </text>
    <text class="soft" x="280" y="148" text-anchor="middle">
      Today
    </text>
  </svg>
);

export const MarketplaceDrawing = () => (
  <svg class="drawing" viewBox="0 0 320 170" width="320" height="170" aria-hidden="true">
    <path class="track" d="M118 85h34c20 0 20-42 40-42h12M118 85h34c20 0 20 42 40 42h12" />
    <rect class="ground" x=".5" y="33.500" width="118" height="104" rx="8" />
    <path class="wash" d="M1 41a7 7 0 0 1 7-7h103a7 7 0 0 1 7 7v49H1z" />
    <rect class="full" x="16" y="56" width="52" height="10" rx="2" />
    <text x="16" y="114">
      ★ 48
    </text>
    <rect class="ground" x="204.500" y="5.500" width="115" height="70" rx="8" />
    <path class="wash" d="M205 13a7 7 0 0 1 7-7h100a7 7 0 0 1 7 7v27H205z" />
    <rect class="mid" x="218" y="18" width="36" height="8" rx="2" />
    <text class="soft" x="218" y="62">
      remix
    </text>
    <rect class="ground" x="204.500" y="93.500" width="115" height="70" rx="8" />
    <path class="mid" d="M205 101a7 7 0 0 1 7-7h100a7 7 0 0 1 7 7v27H205z" />
    <rect class="full" x="218" y="106" width="44" height="8" rx="2" />
    <text class="soft" x="218" y="150">
      remix
    </text>
  </svg>
);
