import { fact, list, noneOf } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const dependencyRepositories: PredicateReader = {
  name: 'Dependency repositories',
  types: [
    ...serviceTypes('resolved-dependencies-repositories/v1'),
    ...serviceTypes('repository/v1'),
  ],
  proves: 'The dependencies of the package came from these repositories and no others.',
  keys: ['buildScanUri', 'uris'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Repositories', 'uris'),
    ],
    lists: list(predicate, 'Repositories', 'uri', 'uris'),
  }),
}
