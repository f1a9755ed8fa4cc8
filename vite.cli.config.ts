import { defineConfig } from 'vite'

/** The command line tool as one file for Node, with all that it needs in it. */
export default defineConfig({
  // It may be called from anywhere.
  root: import.meta.dirname,
  ssr: { noExternal: true },
  build: {
    ssr: 'src/cli/main.ts',
    outDir: 'dist/cli',
    emptyOutDir: true,
    target: 'node20',
    copyPublicDir: false,
  },
})
