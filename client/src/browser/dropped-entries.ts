/** What was dropped. A browser tells it only while it handles the event. */
export const entriesOf = ({ items }: DataTransfer): FileSystemEntry[] =>
  [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);

/** The files that are not ignored. It does not look into an ignored folder. */
export async function* walk(
  entries: readonly FileSystemEntry[],
  isIgnored: (path: string, isFolder: boolean) => boolean,
  below = '',
): AsyncGenerator<{ path: string; file: File }> {
  for (const entry of entries) {
    const path = `${below}${entry.name}`;
    if (isIgnored(path, entry.isDirectory)) continue;
    if (entry.isFile) yield { path, file: await fileOf(entry as FileSystemFileEntry) };
    else yield* walk(await listOf(entry as FileSystemDirectoryEntry), isIgnored, `${path}/`);
  }
}

export const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** All entries of a folder: a browser tells at most 100 a call. */
export async function listOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const more = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (more.length === 0) return entries;
    entries.push(...more);
  }
}
