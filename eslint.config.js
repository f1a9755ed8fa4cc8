import js from '@eslint/js'
import globals from 'globals'
import reactHooks from 'eslint-plugin-react-hooks'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** Pure folders know no network, clock, randomness, document or process (src/README.md, idea 1). */
const impureNames = [
  'document',
  'window',
  'navigator',
  'location',
  'localStorage',
  'process',
  'fetch',
]
const impureCalls = [
  { object: 'Date', property: 'now', message: 'Take the time as an argument.' },
  { object: 'Math', property: 'random', message: 'Take the randomness as an argument.' },
  { object: 'performance', property: 'now', message: 'Take the time as an argument.' },
]

export default defineConfig(
  { ignores: ['release', 'dist', 'node_modules', 'test-results', 'playwright-report'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          // Called so by its authors to stand out; it is used for a provider on loopback only.
          allow: [{ from: 'package', name: 'allowInsecureRequests', package: 'openid-client' }],
        },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/web/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      'react-hooks/exhaustive-deps': 'error',
      // It warns of what the React compiler would skip; it is not used here.
      'react-hooks/incompatible-library': 'off',
    },
  },
  {
    files: ['src/{protocol,search,attestation,facts,policy}/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.test-support.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureNames],
      'no-restricted-properties': ['error', ...impureCalls],
    },
  },
  {
    files: ['src/{server,cli}/**/*.ts'],
    ignores: ['src/{server,cli}/main.ts', '**/*.test.ts', '**/*.test-support.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only main.ts knows the process.' },
      ],
      'no-restricted-properties': ['error', ...impureCalls],
    },
  },
  {
    files: ['src/**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches([callee.name="assert"], [callee.property.name="assert"]) Property[key.name="numRuns"] > Literal',
          message: 'Take the number through runs() of property-runs.test-support.ts (FC_RUNS).',
        },
      ],
    },
  },
  {
    // Playwright reads what a fixture needs from its pattern, also where it needs nothing.
    files: ['e2e/**/*.ts'],
    rules: { 'no-empty-pattern': 'off' },
  },
  {
    // What they print is what they are for.
    files: ['bench/**/*.ts', 'src/real-data.test-support.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: globals.node },
  },
)
