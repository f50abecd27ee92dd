export function apiReference(functions: object, errorTable: object): { openapi: string; markdown: string };
