import { render } from 'preact';
import { App } from './app';
import { keepFocus } from './keep-focus';
import { followOtherTabs } from './other-tabs';
import { startRouter } from './router';

startRouter();
followOtherTabs();
keepFocus();
const place = document.getElementById('app')!;
place.replaceChildren();
render(<App />, place);
