import { until } from './browser';
import type { DashboardStage } from './dashboard';

/** Somebody who works in the dashboard with the keys alone. */
export function keyboardOf(stage: DashboardStage) {
  const type = async (...keys: string[]) => {
    for (const key of keys) await stage.page.keyboard.press(key);
  };

  /** The name of the element that has the focus. */
  const NAME = `(() => {
    const { activeElement: focused } = document;
    const label = focused.labels?.[0]?.querySelector('span') ?? focused.labels?.[0];
    return (focused.getAttribute('aria-label') ?? (label ?? focused).textContent).trim();
  })()`;
  const focused = () => stage.page.evaluate<string>(NAME);
  const untilFocused = (name: string) => until(stage.page, `${NAME} === ${JSON.stringify(name)}`);

  /** Goes with the Tab key to a control, as somebody without a mouse does. */
  async function reach(name: string, key = 'Tab'): Promise<void> {
    for (let left = 80; left > 0; left--) {
      if ((await focused()) === name) return;
      await type(key);
    }
    throw new Error(`The Tab key does not reach “${name}”.`);
  }

  async function typeInto(name: string, typed: string, key?: string): Promise<void> {
    await reach(name, key);
    await stage.page.keyboard.insertText(typed);
  }

  async function reachAndPress(name: string): Promise<void> {
    await reach(name);
    await type('Enter');
  }

  async function chooseByKeys(menu: string, item: string): Promise<void> {
    await reachAndPress(menu);
    await until(stage.page, `document.activeElement.role === 'menuitem'`);
    for (let left = 9; left > 0 && (await focused()) !== item; left--) await type('ArrowDown');
    expect(await focused()).toBe(item);
    await type('Enter');
    await stage.dialog().waitFor();
  }

  const isIn = (selector: string) => stage.page.evaluate(`!!document.activeElement.closest("${selector}")`);

  return { chooseByKeys, focused, isIn, reach, reachAndPress, type, typeInto, untilFocused };
}
