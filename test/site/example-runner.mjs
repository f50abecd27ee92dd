// Runs examples in TypeScript, which are bundled, one after another: each is a module. Reads `[{file, env}]` from the
// first argument, and writes what each printed, or why it failed.
const results = [];
const { log } = console;
for (const { file, env } of JSON.parse(process.argv[2])) {
  Object.assign(process.env, env);
  const printed = [];
  console.log = (...values) => void printed.push(values);
  const error = await import(file).then(
    () => undefined,
    (reason) => `${reason.stack ?? reason}`,
  );
  results.push({ printed, error });
}
console.log = log;
console.log(JSON.stringify(results));
