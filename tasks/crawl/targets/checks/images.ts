import { sql } from '../../../../sql/pool.ts'
import { EAGER, IMAGE, SOCIAL, SOLE } from '../uses.ts'
import { broken, image, script, type TargetCheck, type TargetExample, using, works } from './check.ts'

/** Bytes, as transferred. */
const IMAGE_BYTES = 200_000
const LEGACY_BYTES = 50_000
/** Pixels of a preview that networks show large. */
const PREVIEW = { width: 1200, height: 630 }

const preview = (given: Partial<TargetExample> = {}): TargetExample =>
  image({ uses: SOCIAL, width: 1200, height: 630, ...given })

/** Images that pages show, and those of their previews. */
export const imageTargetChecks: readonly TargetCheck[] = [
  {
    code: 'image_broken_internal',
    severity: 'major',
    about: 'The page shows an image of the site that is not there.',
    fix: 'Put the file back, correct the address, or remove the image.',
    finds: using(IMAGE, sql.fragment`internal and ${broken}`),
    examples: {
      bad: [
        [image({ status: 404 })],
        [image({ status: 500 })],
        [image(), image({ contentType: 'text/html' })],
        [image({ status: 0, fault: 'connection' })],
      ],
      good: [
        [image()],
        [image({ status: 403 })],
        [image({ status: 0, fault: 'timeout' })],
        [image({ status: null })],
        [image({ status: 404, internal: false })],
        [script({ status: 404 })],
      ],
    },
  },
  {
    code: 'image_broken_external',
    severity: 'moderate',
    about: 'The page shows an image of another site that is not there.',
    fix: 'Serve the image from the site itself, or remove it.',
    finds: using(IMAGE, sql.fragment`not internal and ${broken}`),
    examples: {
      bad: [[image({ status: 404, internal: false })], [image({ status: 0, fault: 'dns', internal: false })]],
      good: [
        [image({ internal: false })],
        [image({ status: 403, internal: false })],
        [image({ status: 404 })],
      ],
    },
  },
  {
    code: 'image_too_large',
    severity: 'minor',
    about: 'The page shows an image of more than 200 kB.',
    fix: 'Scale the image to the size it is shown in, and save it as WebP or AVIF.',
    finds: using(IMAGE, sql.fragment`bytes > ${IMAGE_BYTES} and ${works}`),
    examples: {
      bad: [[image({ bytes: 200_001 })], [image({ bytes: 200_001, internal: false })]],
      good: [
        [image({ bytes: 200_000 })],
        [image()],
        [script({ bytes: 200_001 })],
        [image({ bytes: 200_001, status: 404 })],
      ],
    },
  },
  {
    code: 'images_legacy_format',
    severity: 'minor',
    about:
      'The page shows a JPEG or PNG of more than 50 kB without offering WebP or AVIF, which need half of that.',
    fix: 'Save the image as WebP or AVIF, or offer it in a `picture` beside the old format.',
    finds: using(
      SOLE,
      sql.fragment`content_type in ('image/jpeg', 'image/jpg', 'image/png') and bytes > ${LEGACY_BYTES} and ${works}`,
    ),
    examples: {
      bad: [[image({ bytes: 50_001 })], [image({ bytes: 50_001, contentType: 'image/jpeg' })]],
      good: [
        [image({ bytes: 50_000 })],
        [image({ bytes: 90_000, contentType: 'image/webp' })],
        [image({ bytes: 90_000, uses: IMAGE | EAGER })],
        [image()],
      ],
    },
  },
  {
    code: 'og_image_small',
    severity: 'minor',
    about: 'The image for previews (og:image) has less than 1200 × 630 pixels: networks show it small.',
    fix: 'Name an image of at least 1200 × 630 pixels in `og:image`.',
    finds: using(SOCIAL, sql.fragment`(width < ${PREVIEW.width} or height < ${PREVIEW.height}) and ${works}`),
    examples: {
      bad: [[preview({ width: 1199 })], [preview({ height: 629 })]],
      good: [[preview()], [preview({ width: null, height: null })], [image({ width: 10, height: 10 })]],
    },
  },
]
