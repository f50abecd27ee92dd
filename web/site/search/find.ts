/** The search field of the documentation. The index is loaded when a reader first uses the field. */

interface Found {
  path: string;
  page: string;
  heading: string;
}

interface SearchIndex {
  find: (query: string) => Found[];
}

const { index = '' } = document.currentScript!.dataset;
const form = document.querySelector<HTMLFormElement>('form.search')!;
const field = form.querySelector('input')!;
const list = form.querySelector('ul')!;
const message = form.querySelector('[role=status]')!;

let loading: Promise<SearchIndex> | undefined;
function load(): Promise<SearchIndex> {
  loading ??= (import(index) as Promise<SearchIndex>).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function itemOf({ path, page, heading }: Found): HTMLLIElement {
  const [item, link] = [document.createElement('li'), document.createElement('a')];
  link.href = path;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  item.append(link);
  return item;
}

async function search(): Promise<void> {
  const query = field.value.trim();
  if (query === '') {
    list.replaceChildren();
    message.textContent = '';
    return;
  }
  try {
    const found = (await load()).find(query);
    // The reader may have typed on.
    if (field.value.trim() !== query) return;
    list.replaceChildren(...found.map(itemOf));
    message.textContent = found.length > 0 ? '' : 'Nothing found. Try fewer or other words.';
  } catch {
    message.textContent = 'The search could not be loaded. Try again.';
  }
}

field.addEventListener('focus', () => void load().catch(() => undefined));
field.addEventListener('input', () => void search());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void search().then(() => list.querySelector('a')?.click());
});
form.hidden = false;
