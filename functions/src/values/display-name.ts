/** The first and last name, or the first name alone. */
export function displayNameOf({ firstName, lastName }: { firstName: string; lastName?: string | null }): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
