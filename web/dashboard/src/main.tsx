import { render } from 'preact';
import { App } from './app';
import { keepFocus } from './keep-focus';
import { startRouter } from './router';

startRouter();
keepFocus();
render(<App />, document.getElementById('app')!);
