import { Heading } from '../../ui/heading';

export default function New() {
  return <Heading title="New" />;
}
