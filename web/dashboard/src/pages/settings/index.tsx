import { Heading } from '../../ui/heading';

export default function Settings() {
  return <Heading title="Settings" />;
}
