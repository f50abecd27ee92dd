import { Heading } from '../../ui/heading';

export default function Remix() {
  return <Heading title="Remix" />;
}
