import { Heading } from '../../ui/heading';

export default function Keys() {
  return <Heading title="Keys" />;
}
