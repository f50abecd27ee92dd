// A cube, whose texture is a picture of the deck. A worker computes each slide's angle with WebAssembly.
import {
  AmbientLight,
  BoxGeometry,
  Color,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  TextureLoader,
  WebGLRenderer,
} from 'three';
import checks from './checks.png';

const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
document.body.append(renderer.domElement);
const scene = new Scene();
scene.background = new Color('#123');
const camera = new PerspectiveCamera(50, 1, 0.1, 10);
camera.position.z = 3;
const light = new DirectionalLight('#fff', 3);
light.position.set(1, 2, 3);
const material = new MeshStandardMaterial({ map: await new TextureLoader().loadAsync(checks) });
const cube = new Mesh(new BoxGeometry(), material);
scene.add(cube, light, new AmbientLight('#fff', 0.6));

const worker = new Worker(new URL('./angles.js', import.meta.url), { type: 'module' });
const angleOf = (slide) =>
  new Promise((resolve, reject) => {
    // A resize may ask while an answer is on its way.
    worker.addEventListener('message', ({ data }) => resolve(data), { once: true });
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(slide);
  });

let slide = 0;
async function show(next) {
  slide = next;
  const degrees = await angleOf(next);
  cube.rotation.set(degrees / 60, degrees / 40, 0);
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
  renderer.render(scene, camera);
  document.body.dataset.slide = slide;
}
addEventListener('keydown', ({ key }) => key === 'ArrowRight' && show(slide + 1));
addEventListener('resize', () => show(slide));
await show(1);
// The deck's own picture on a canvas: it can be read only where the picture has the deck's origin.
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 1;
const picture = new Image();
picture.src = new URL(checks, location.href).href;
await picture.decode();
canvas.getContext('2d').drawImage(picture, 0, 0);
const read = () => {
  try {
    return canvas.toDataURL().startsWith('data:image/png');
  } catch (error) {
    return error.name;
  }
};
window.facts = { degrees: await angleOf(1), pictureIsReadable: read() };
