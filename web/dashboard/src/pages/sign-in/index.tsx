import { Heading } from '../../ui/heading';

export default function SignIn() {
  return <Heading title="Sign In" />;
}
