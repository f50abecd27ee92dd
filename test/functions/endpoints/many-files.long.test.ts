import { World, type Account } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
afterAll(() => world.stop());

test('uploadPresentationAssets refuses bytes above its limit when the request declares no length', async () => {
  const { sessionId } = await world.aSession(owner);
  const chunk = Buffer.alloc(4 * MB);
  async function* endless() {
    yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="sessionId"\r\n\r\n${sessionId}\r\n`);
    for (let part = 0; part < 6; part++) {
      yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="x${part}"; filename="f"\r\n\r\n`);
      for (let i = 0; i < 12; i++) yield chunk;
      yield Buffer.from('\r\n');
    }
  }
  const response = await fetch(`${world.cloud.baseUrl}/uploadPresentationAssets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: endless(),
    duplex: 'half',
  } as never);
  expect(response.status).toBe(413);
});
