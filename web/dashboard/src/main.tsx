import { render } from 'preact';
import { App } from './app';
import { keepFocus } from './keep-focus';
import { followOtherTabs } from './other-tabs';
import { startRouter } from './router';

startRouter();
followOtherTabs();
keepFocus();
render(<App />, document.getElementById('app')!);
