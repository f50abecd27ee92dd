import { Heading } from '../../ui/heading';

export default function SignUp() {
  return <Heading title="Sign Up" />;
}
