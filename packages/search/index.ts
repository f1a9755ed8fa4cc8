/**
 * The advanced search language of builds: reading, checking, completing, explaining and writing a query, and
 * whether it holds of a build. Pure: no network, no clock.
 */
export { check, type CheckOptions } from '../../src/search/check.ts'
export { complete } from '../../src/search/complete.ts'
export {
  applyEdits,
  type Diagnostic,
  type Fix,
  type TextEdit,
} from '../../src/search/diagnostic.ts'
export { explain, type ExplainOptions } from '../../src/search/explain.ts'
export { format } from '../../src/search/format.ts'
export { type Answer, compile } from '../../src/search/match.ts'
export { parse } from '../../src/search/parse.ts'
export { toApiQuery } from '../../src/search/to-api.ts'
export type { Expression, Query } from '../../src/search/tree.ts'
export type { Facts } from '../../src/protocol/facts.ts'
