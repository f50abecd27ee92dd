#!/usr/bin/env node
// Stands for curl on a computer without it: sends what the examples of the documentation say, and writes the status.
import { readFileSync } from 'node:fs';

const options = { headers: {} };
let url;
const fields = [];
const form = new FormData();
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift();
  if (word === '-X') options.method = words.shift();
  else if (word === '-H') {
    const [, name, value] = /^([^:]+): (.*)$/.exec(words.shift());
    options.headers[name] = value;
  } else if (word === '-d') options.body = words.shift();
  else if (word === '--data-urlencode') fields.push(words.shift().split('='));
  else if (word === '-F') {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(words.shift());
    const [, file, , type = ''] = /^@([^;]+)(;type=(.*))?$/.exec(value) ?? [];
    form.append(name, file ? new Blob([readFileSync(file)], { type }) : value);
    options.body = form;
  } else if (/^https?:/.test(word)) url = word;
  else if (['-o', '-w'].includes(word)) words.shift();
  else if (word !== '-sS') throw new Error(`This stand-in does not know ${word}.`);
}
if (fields.length > 0) options.body = new URLSearchParams(fields);
if (options.body && !options.method) options.method = 'POST';
const { status } = await fetch(url, { ...options, redirect: 'manual' });
process.stdout.write(`${status}`);
