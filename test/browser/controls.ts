import type { Locator, Page } from 'playwright-core';

type Name = string | RegExp;

/** Finds what a person uses on a page, by its role and its name. */
export abstract class Controls {
  abstract get page(): Page;

  button = (name: Name, exact = false) => this.page.getByRole('button', { name, exact });
  link = (name: Name, exact = false) => this.page.getByRole('link', { name, exact });
  heading = (name: Name, level?: number) => this.page.getByRole('heading', { name, ...(level && { level }) });
  field = (name: Name, exact = false) => this.page.getByLabel(name, { exact });
  dialog = (): Locator => this.page.getByRole('dialog');
  alert = () => this.page.locator('main [role="alert"]:not([hidden])');
  toast = (text: Name) => this.page.locator('.toast').filter({ hasText: text });
  /** A row of a list, or of a table. */
  row = (text: Name) => this.page.locator('.row, tr').filter({ hasText: text });
  text = (text: Name) => this.page.getByText(text);

  /** Presses a button, and waits for what appears then. */
  press = async (pressed: Name | Locator, shown?: Locator): Promise<void> => {
    await (typeof pressed === 'string' || pressed instanceof RegExp ? this.button(pressed) : pressed).click();
    await shown?.waitFor();
  };

  /** Fills fields, and presses a button then. */
  fill = async (fields: Record<string, string>, pressed?: Name | Locator, shown?: Locator): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) await this.field(name).fill(value);
    if (pressed) await this.press(pressed, shown);
  };

  /** Opens the menu of a row and chooses an entry. */
  choose = async (menu: Name, entry: Name, shown?: Locator): Promise<void> => {
    await this.button(menu).click();
    await this.press(this.page.getByRole('menuitem', { name: entry }), shown);
  };

  /** Answers the question of a dialog. */
  answer = (name: Name, shown?: Locator) => this.press(this.dialog().getByRole('button', { name }), shown);

  copied = () => this.page.evaluate<string>('navigator.clipboard.readText()');
}
