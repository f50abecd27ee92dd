import { render } from 'preact';
import { App } from './app';
import { keepFocus } from './keep-focus';
import { startRouter } from './router';

startRouter();
keepFocus();
const place = document.getElementById('app')!;
place.replaceChildren();
render(<App />, place);
