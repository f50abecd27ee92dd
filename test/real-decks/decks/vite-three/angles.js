const loaded = WebAssembly.instantiateStreaming(fetch(new URL('./multiply.wasm', import.meta.url)));

addEventListener('message', async ({ data }) => {
  try {
    const { instance } = await loaded;
    postMessage(instance.exports.multiply(data, 30));
  } catch (error) {
    reportError(error);
  }
});
