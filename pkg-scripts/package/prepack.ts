// Folder: `npm pack`: the command and the library as one package.

import { join } from 'node:path'
import { root } from '../tree.ts'
import { buildPackage } from './build-package.ts'

// Builds what `npm pack` puts into the package. npm runs it before it packs.
await buildPackage(join(root, 'dist', 'package'))
