/** The CPU quota of a new project in one region, in vCPU. */
export const DEFAULT_CPU_QUOTA = 20;
