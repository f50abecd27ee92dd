import { join } from 'node:path';
import { projectRoot } from '../local/project';
import { findFirestoreEmulator, type Command } from './installed';
import type { Backends, FirestoreChoice } from './options';
import { startProgram, type Program } from './program';

/** The command of Google's Firestore emulator, or undefined for the local engine. */
export function chooseFirestore(choice: FirestoreChoice, backends: Backends): Command | undefined {
  if (choice === 'local' || (choice === 'auto' && backends === 'local')) return undefined;
  const found = findFirestoreEmulator();
  if (!found && choice === 'google') {
    throw new Error(
      'The Firestore emulator or Java is not installed: run `firebase setup:emulators:firestore` (Java 21), or `gcloud components install cloud-firestore-emulator` (Java 17).',
    );
  }
  return found;
}

interface GoogleFirestoreOptions {
  command: Command;
  port: number;
  project: string;
  /** The temporary folder in which the emulator runs. */
  folder: string;
  signal: AbortSignal | undefined;
}

export function startGoogleFirestore(options: GoogleFirestoreOptions): Promise<Program> {
  const { command, port, project, folder, signal } = options;
  const [java, ...args] = command;
  const rules = join(projectRoot, 'firestore.rules');
  return startProgram({
    name: "Google's Firestore emulator",
    command: [java, ...args, '--host=127.0.0.1', `--port=${port}`, `--rules=${rules}`, `--project_id=${project}`],
    cwd: folder,
    env: process.env,
    readyWhen: /Dev App Server is now running/,
    onOutput: () => {},
    temporary: [folder],
    signal,
  });
}
