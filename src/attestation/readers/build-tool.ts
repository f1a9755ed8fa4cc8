import { fact } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const buildTool: PredicateReader = {
  name: 'Build tool',
  types: serviceTypes('build-tool/v1'),
  proves: 'The package was built by this build tool in this version, as its build scan recorded.',
  keys: ['buildId', 'buildScanUri', 'toolType', 'toolVersion', 'agentVersion'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build tool', 'text', 'toolType'),
      ...fact(predicate, 'Version', 'text', 'toolVersion'),
      ...fact(predicate, 'Agent version', 'text', 'agentVersion'),
      ...fact(predicate, 'Build', 'buildId', 'buildId'),
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
    ],
    lists: [],
  }),
}
