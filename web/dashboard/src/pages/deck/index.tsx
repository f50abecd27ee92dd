import { Heading } from '../../ui/heading';

export default function Deck() {
  return <Heading title="Deck" />;
}
