/** Example values of the API reference. Each has the shape of a real value. A key among them is not a real key. */
const deckId = '01936f4e-8f6b-7c3a-9d2e-5b1f0a7c4d21';
const token = 'q7Yb2mXr7LkZ0vNc5HsW1yEa8GdJ3uPi6oTqBxRfMlKn4fT9bQ2mXr7LkZ0vNc5H';
const shortCode = '7hKq2ZrTfWn4cBxM';

export const example = {
  deckId,
  sessionId: '01936f4e-8f68-7a91-8e57-d03b6c2f1a94',
  organizationId: '01936f4e-7a10-7b52-8c41-2f6e9d0b3a77',
  userId: '01936f4e-7a0c-7d18-b0f3-6c1a52e4d890',
  keyId: '01936f4e-7a31-7e04-9b6d-84c2f05a1e3d',
  key: `cko_EXAMPLE${'0'.repeat(42)}`,
  sessionToken: `cks_EXAMPLE${'0'.repeat(42)}`,
  dashboardSessionId: '01936f4f-1c52-7b0e-8d3a-64e1f7a05b92',
  exchange: '01936f4f-1c52-7b0e-8d3a-64e1f7a05b92.Zp4qRt8wXv2bNc6sLk1yHg9mJd3fEa7uTo5iBxVrQn0',
  binder: 'Wd7kPz1mQe9xRv4tYc8uLb2nGj6hSf3aXo0iKrTqMs5',
  exportId: '01936f58-3a70-7c25-9e41-b7d2f0a6c813',
  requestToken: 'Hn3vT8cQm1ZyLw5RkBe7XpUa0JdGf9sNo2iVtMxKq4E',
  deviceToken: `ckd_1781256413_${'0'.repeat(64)}`,
  requestId: '01936f53-0b1c-7d62-a4e8-37f95c0d21b6',
  collaboratorId: '01936f52-11c0-7f3e-a6b8-90d4c2e75f10',
  email: 'ada@example.com',
  newEmail: 'ada@example.org',
  newCode: '730154',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  /** A large file, which is uploaded directly. */
  filmHash: '3c9909afec25354d551dae21590bb26e38d53f2173b8d3dc3eee4c047e7ab1c1',
  tokenId: 'Zk3v9QpXw2LmT7bRc1HsNg',
  token,
  shareUrl: `https://decks.example.com/share/${deckId}?token=${token}`,
  shortCode,
  shortUrl: `https://decks.example.com/s/${shortCode}`,
  label: 'abcdefghijklmnopqrstuvwxyz234567',
  accessRequestId: '01936f55-9e40-7c1d-8b27-5a6f0c3d9e81',
  mailId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
  slug: 'quarterly-results',
  webhookId: '01936f57-2b64-7d0a-9c18-4e5a7f3b6d02',
  deliveryId: '01936f57-4c10-7b3e-8a52-6d0f9e1c7b84',
  webhookUrl: 'https://hooks.example.com/deckhost',
  webhookSecret: `whsec_${'EXAMPLE'.repeat(6)}0=`,
  eventId: '01936f56-40d2-7e19-a3c5-8f2b6d0e7149',
  cursor: 'MTc3MzQ4MDQxMzU4OS4wMTkzNmY0ZS04ZjZiLTdjM2EtOWQyZS01YjFmMGE3YzRkMjE',
  time: '2026-03-14T09:26:53.589Z',
} as const;
