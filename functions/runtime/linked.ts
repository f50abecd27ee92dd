import './framed';
