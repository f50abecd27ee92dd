/** The base URL of the functions. The server writes the constant in front of the module. */
declare const FUNCTIONS: string;
export const functionsUrl = FUNCTIONS;
