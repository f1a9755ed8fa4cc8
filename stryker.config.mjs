/**
 * Mutation tests (docs/proof.md): `npm run mutation` changes search, attestation and facts in every way
 * that Stryker knows and runs the tests that reach the change. `npm run mutation -- --mutate <files>`
 * takes some of them, `--sample=30` a sample.
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vite.config.ts' },
  coverageAnalysis: 'perTest',
  mutate: [
    'src/{search,attestation,facts}/**/*.ts',
    '!src/**/*.test.ts',
    '!src/**/*.test-support.ts',
    // Made from the grammar, and compared with it.
    '!src/search/grammar/parser*.ts',
  ],
  // What a line of text says is for people to judge, not for a test to repeat.
  mutator: { excludedMutations: ['StringLiteral'] },
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: 'node_modules/.cache/stryker/mutation.json' },
  clearTextReporter: { logTests: false, allowColor: false },
  ignorePatterns: ['/dist', '/release', '/docs', '/e2e', '/public', '/test-results', '/.sightline'],
}
