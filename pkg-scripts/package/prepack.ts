// Folder: `npm pack`: the command and the library as one package.

import { join } from 'node:path'
import { root } from '../tree.ts'
import { buildPackage } from './build-package.ts'

// Builds the content of the package. npm runs this script before it packs.
await buildPackage(join(root, 'dist', 'package'))
