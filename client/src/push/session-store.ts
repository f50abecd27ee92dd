/** The upload session of a new deck whose push has not ended. */
export interface UploadSession {
  sessionId: string;
  /** The id that the deck gets at its commit. The deck exists when the answer to the commit was lost. */
  presentationId: string;
}

/** Keeps the upload session of one folder for one service, so that another run resumes an interrupted push. */
export interface SessionStore {
  read(): Promise<UploadSession | undefined>;
  write(session: UploadSession): Promise<void>;
  remove(): Promise<void>;
}
