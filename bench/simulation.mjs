export async function simulate() {}
