import { lazy, Suspense, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Navigate, Route, Routes, useNavigate, useParams } from 'react-router';
import './slides.css';

const Last = lazy(() => import('./last.jsx'));
const slides = [<h1>Vite and React</h1>, <h1>The second slide</h1>, <Last />];

function Slide() {
  const number = Number(useParams().number);
  const navigate = useNavigate();
  useEffect(() => {
    const turn = ({ key }) => {
      const next = number + { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (slides[next - 1]) navigate(`/slides/${next}`);
    };
    addEventListener('keydown', turn);
    return () => removeEventListener('keydown', turn);
  }, [number, navigate]);
  return (
    <main data-slide={number}>
      {slides[number - 1]}
      <p>The router uses the path: /slides/{number}</p>
    </main>
  );
}

createRoot(document.querySelector('#root')).render(
  <BrowserRouter>
    <Suspense>
      <Routes>
        <Route path="/slides/:number" element={<Slide />} />
        <Route path="*" element={<Navigate to="/slides/1" replace />} />
      </Routes>
    </Suspense>
  </BrowserRouter>,
);
