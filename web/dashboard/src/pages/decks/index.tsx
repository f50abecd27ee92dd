import { Heading } from '../../ui/heading';

export default function Decks() {
  return <Heading title="Decks" />;
}
