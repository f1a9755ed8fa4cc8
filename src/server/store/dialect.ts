/** The two databases that are spoken to. */
export type Dialect = 'sqlite' | 'postgres'
