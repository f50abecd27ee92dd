const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL('./multiply.wasm', import.meta.url)));
addEventListener('message', ({ data }) => postMessage(instance.exports.multiply(data, 30)));
