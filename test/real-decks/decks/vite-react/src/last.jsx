export default function Last() {
  return <h1>The last slide is a chunk of the build</h1>;
}
