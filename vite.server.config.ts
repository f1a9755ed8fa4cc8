import { defineConfig } from 'vite'

/** The server as one file for Node; the packages it uses stay in node_modules. */
export default defineConfig({
  build: {
    ssr: 'src/server/main.ts',
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node20',
    copyPublicDir: false,
  },
})
