import { fact, list, noneOf } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const resolvedDependencies: PredicateReader = {
  name: 'Resolved dependencies',
  types: serviceTypes('resolved-dependencies/v1'),
  proves: 'The build of the package resolved exactly these dependencies.',
  keys: ['buildScanUri', 'purls'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Dependencies', 'purls'),
    ],
    lists: list(predicate, 'Dependencies', 'purl', 'purls'),
  }),
}
