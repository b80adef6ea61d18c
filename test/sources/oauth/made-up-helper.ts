import { main } from '../../../src/helper/run/run-helper.ts'
import { madeUpHelper } from './made-up-declaration.ts'

// A program of its own, run from source.
await main('made-up', madeUpHelper)
