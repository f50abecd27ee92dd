/** The names that a `fields` expression selects, nested. `*` selects everything below. */
type Selection = Map<string, Selection>;

/** Applies a partial-response expression such as `items(name,metadata/owner),nextPageToken`. */
export function selectFields(value: unknown, expression: string): unknown {
  return keep(value, parse(expression));
}

function keep(value: unknown, selection: Selection): unknown {
  if (selection.size === 0 || selection.has('*')) return value;
  if (Array.isArray(value)) return value.map((item) => keep(item, selection));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const below = selection.get(key);
    return below ? [[key, keep(inner, below)]] : [];
  });
  return Object.fromEntries(kept);
}

function parse(expression: string): Selection {
  const root: Selection = new Map();
  let at = 0;
  const list = (into: Selection) => {
    let target = into;
    for (const token of tokens()) {
      if (token === ',') target = into;
      else if (token === ')') return;
      else if (token === '(') list(target);
      else if (token !== '/') {
        const inner = target.get(token) ?? (new Map() as Selection);
        target.set(token, inner);
        target = inner;
      }
    }
  };
  function* tokens() {
    const pattern = /[(),/]|[^(),/\s]+/y;
    for (;;) {
      pattern.lastIndex = at;
      const found = pattern.exec(expression);
      if (!found) return;
      at = pattern.lastIndex;
      yield found[0];
    }
  }
  list(root);
  return root;
}
