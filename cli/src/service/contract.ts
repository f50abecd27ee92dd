/** The calls that the client makes. */
export interface Contract {
  cliRequestSignupOtp: { input: { email: string }; answer: { email: string; expiresInSeconds: number } };
  cliCompleteSignup: {
    input: {
      email: string;
      code: string;
      user: { firstName: string; lastName?: string };
      company?: { name?: string };
      apiKey?: { name?: string; expiresInDays?: number };
    };
    answer: AccountAnswer & { isNewUser: boolean };
  };
  cliRequestLoginOtp: { input: { email: string }; answer: { email: string; expiresInSeconds: number } };
  cliCompleteLogin: {
    input: { email: string; code: string; apiKey?: { name?: string; expiresInDays?: number } };
    answer: AccountAnswer;
  };
  verifyApiKey: {
    input: undefined;
    answer: {
      type: 'org-api-key' | 'admin-api-key';
      keyName: string;
      keyPrefix: string;
      scopes: string[];
      organizationId: string | null;
      organizationName: string | null;
      createdAt: string;
      expiresAt: string | null;
      lastUsedAt: string | null;
      requestId: string;
    };
  };
  precheckAssets: {
    input: { hashes: string[]; presentationId?: string; sessionId?: string };
    answer: { missing: string[]; sessionId?: string; presentationId?: string };
  };
  uploadPresentationAsset: { input: never; answer: { sha256: string; size: number } };
  commitPresentationVersion: {
    input: {
      presentationId?: string;
      sessionId?: string;
      title?: string;
      entryPath: string;
      files: { path: string; sha256: string; size: number; contentType: string }[];
      expectedBaseVersion?: number | undefined;
      force?: boolean;
      message?: string;
      dryRun?: boolean;
    };
    answer:
      | { presentationId: string; version: number; shareUrl: string | null; fileCount: number; totalBytes: number }
      | {
          added: number;
          changed: number;
          removed: number;
          unchanged: number;
          bytesTotal: number;
          nextVersion: number;
        };
  };
  listMyPresentations: {
    input: { cursor?: string };
    answer: { presentations: { id: string; title: string; shareUrl: string | null }[]; nextCursor: string | null };
  };
}

interface AccountAnswer {
  organizationId: string;
  organizationName: string;
  apiKey: { keyId: string; raw: string; keyPrefix: string; name: string; scopes: string[]; createdAt: string };
}
