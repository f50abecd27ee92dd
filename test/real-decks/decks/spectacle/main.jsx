import { createRoot } from 'react-dom/client';
import { Appear, CodePane, Deck, Heading, Notes, Slide, Text } from 'spectacle';

createRoot(document.querySelector('#root')).render(
  <Deck>
    <Slide>
      <Heading>Spectacle</Heading>
      <Text>The first slide</Text>
      <Notes>Say hello.</Notes>
    </Slide>
    <Slide backgroundColor="tertiary">
      <Heading color="primary">The second slide</Heading>
      <CodePane language="javascript">{'const answer = 6 * 7;'}</CodePane>
    </Slide>
    <Slide>
      <Heading>The third slide</Heading>
      <Appear>
        <Text>Shown by a key</Text>
      </Appear>
    </Slide>
  </Deck>,
);
