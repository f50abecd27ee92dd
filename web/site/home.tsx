import { raw, untranslated } from '../../functions/src/house/attributes';
import { HeroDrawing, LinksDrawing, MarketplaceDrawing, VersionsDrawing } from './drawings';

interface HomeProps {
  baseUrl: string;
  siteUrl: string;
  /** The script that copies the commands. */
  script: string;
}

/** The main part of the home page. */
export const Home = (props: HomeProps) => (
  <main id="content">
    <Hero />
    <Ways {...props} />
    <Points />
    <Tools />
    <More />
  </main>
);

const Hero = () => (
  <div class="hero">
    <div>
      <h1>Present from one link</h1>
      <p class="lead">
        Deckhost puts presentations made of HTML on the web. Drop the folder of your slides, send the link, and change
        your slides when you like. The link stays the same.
      </p>
      <p class="actions">
        <a class="button" href="/dashboard/sign-up">
          Start in the browser
        </a>
        <a class="button plain" href="#terminal">
          Use a terminal
        </a>
      </p>
      <p class="small quiet">You sign up with a code that we mail to you. There is no password.</p>
    </div>
    <HeroDrawing />
  </div>
);

const Ways = (props: HomeProps) => (
  <section aria-labelledby="start">
    <h2 id="start">Two ways to start</h2>
    <div class="ways">
      <div class="way">
        <h3>In the browser</h3>
        <ol>
          <li>
            <p>Sign up with your email address.</p>
          </li>
          <li>
            <p>Drop the folder of your slides, or a zip file of it, onto the page.</p>
          </li>
          <li>
            <p>Copy the link, and send it.</p>
          </li>
        </ol>
        <p class="small quiet">
          No slides at hand? Remix a deck of the <a href="/marketplace">marketplace</a>. Read more in{' '}
          <a href="/docs/guides/browser">Your first deck</a>.
        </p>
        <p class="actions">
          <a class="button" href="/dashboard/sign-up">
            Create an account
          </a>
        </p>
      </div>
      <div class="way" id="terminal">
        <h3>In a terminal</h3>
        <Commands {...props} />
        <p class="small quiet">
          You need Node 20.19 or newer. Read more in <a href="/docs/guides/first-deck">From a terminal</a> and{' '}
          <a href="/docs/commands">all commands</a>.
        </p>
      </div>
    </div>
  </section>
);

function Commands({ baseUrl, siteUrl, script }: HomeProps) {
  const commands = [
    `npm install --global ${siteUrl}/deckhost.tgz`,
    `export DECK_BASE_URL=${baseUrl}`,
    'deck signup',
    'deck push my-talk/',
  ];
  return (
    <>
      <div class="commands">
        <div>
          <span>Terminal</span>
          <span id="status" role="status" />
          <button type="button" data-copy={commands.join('\n')} hidden>
            Copy
          </button>
        </div>
        <pre tabIndex={0} role="group" aria-label="The commands that publish a first deck" {...untranslated}>
          {commands.map((command) => (
            <code>
              <span class="prompt">$ </span>
              {command}
            </code>
          ))}
          <code class="answer">✓ Pushed version 1 of my talk</code>
        </pre>
      </div>
      <script {...raw(script)} />
    </>
  );
}

const Points = () => (
  <section aria-labelledby="how">
    <h2 id="how">Made for people who present</h2>
    <ul class="points">
      <li>
        <LinksDrawing />
        <h3>A link for each audience</h3>
        <p>
          A link is secret until you send it. Give each audience its own, see how often it is opened, and revoke it: the
          next request is refused. <a href="/docs/guides/links">About links</a>
        </p>
      </li>
      <li>
        <VersionsDrawing />
        <h3>Every version kept</h3>
        <p>
          An upload sends only the files that changed, and makes a new version. A link shows the newest version, or
          stays on the one that you pin. <a href="/docs/guides/versions">About versions</a>
        </p>
      </li>
      <li>
        <MarketplaceDrawing />
        <h3>A marketplace to learn from</h3>
        <p>
          Look at decks that other people have published, and remix one into a deck of yours. Each remix names its
          source. <a href="/marketplace">To the marketplace</a>
        </p>
      </li>
    </ul>
  </section>
);

/** The tools whose decks `npm run test:decks` compares with a plain web server. */
const tools = [
  'reveal.js',
  'Slidev',
  'Marp',
  'Spectacle',
  'impress.js',
  'WebSlides',
  'Shower',
  'remark',
  'React',
  'three.js',
];

const Tools = () => (
  <section aria-labelledby="tools">
    <h2 id="tools">Your slides run as you built them</h2>
    <p class="measure">
      A deck is a folder with an HTML page in it. Scripts, fonts, films and presenter views come along. We test the
      decks of these tools against a plain web server:
    </p>
    <ul class="tools">
      {tools.map((tool) => (
        <li>{tool}</li>
      ))}
    </ul>
  </section>
);

const further = [
  ['/docs', 'Documentation', 'Guides, all commands and answers to errors.'],
  ['/docs/api', 'API', 'Everything that the pages do is a call of an HTTPS API.'],
  ['/docs/guides/agents', 'Agents', 'Texts and tools with which agents make and send decks.'],
  ['/docs/guides/self-hosting', 'Self-hosting', 'Run the whole service in a Firebase project of yours.'],
];

const More = () => (
  <section aria-labelledby="more">
    <h2 id="more">Read on</h2>
    <ul class="more">
      {further.map(([path, name, about]) => (
        <li>
          <a href={path}>{name}</a>
          <p>{about}</p>
        </li>
      ))}
    </ul>
    <p class="quiet sent">
      Did someone send you a link? It opens the presentation in your browser. You need no account and no installation.
    </p>
  </section>
);
