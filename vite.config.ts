import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Everything that the proxy answers; the rest is the page and its assets. */
const proxied =
  '^/(?:session|live|upstream|config|healthz|readyz|metrics|history|screens)(?:[/?]|$)'

const proxy = 'http://127.0.0.1:8081'

/** The dashboard, built into dist/client, from where the proxy serves it under a strict CSP. */
export default defineConfig({
  root: 'src/web/app',
  publicDir: '../../../public',
  plugins: [react()],
  // The proxy writes a fresh nonce in its place with each page it serves.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../../../dist/client',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    // The CSP allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Whatever reads queries needs most of the language; its suggestions are the editor's.
            {
              name: 'search',
              test: /src\/search\/(?!assist\/|complete|hover|grammar\/highlight|words\/(?:field|sign|value)-lines)/,
            },
            { priority: 1, name: 'lezer', test: /node_modules\/@lezer\/(?:common|lr)\// },
          ],
        },
      },
    },
  },
  server: {
    // To the proxy it looks as if the page were its own: it answers no other site's pages.
    proxy: { [proxied]: { target: proxy, changeOrigin: true, headers: { origin: proxy } } },
  },
})
