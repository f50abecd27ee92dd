import { Heading } from '../../ui/heading';

export default function Usage() {
  return <Heading title="Usage" />;
}
