export type Size = { width: number; height: number }

/** Width and height of a PNG, GIF, WebP, AVIF or JPEG, from its first bytes; null when they do not tell. */
export function imageSize(bytes: Buffer): Size | null {
  try {
    return readers.find(({ fits }) => fits(bytes))?.read(bytes) ?? null
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return null
    throw error
  }
}

const text = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end)

const readers: { fits: (bytes: Buffer) => boolean; read: (bytes: Buffer) => Size | null }[] = [
  {
    fits: (bytes) => text(bytes, 1, 4) === 'PNG',
    read: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  {
    fits: (bytes) => text(bytes, 0, 4) === 'GIF8',
    read: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  },
  { fits: (bytes) => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WEBP', read: webp },
  { fits: (bytes) => /^avi[fs]$/.test(text(bytes, 8, 12)), read: avif },
  { fits: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8, read: jpeg },
]

/** Lossy, lossless or extended (RFC 9649 §2). */
function webp(bytes: Buffer): Size | null {
  const kind = text(bytes, 12, 16)
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return kind === 'VP8X' ? { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 } : null
}

/** The largest `ispe` property: smaller ones belong to thumbnails and tiles. */
function avif(bytes: Buffer): Size | null {
  let largest: Size | null = null
  for (let at = bytes.indexOf('ispe'); at >= 0; at = bytes.indexOf('ispe', at + 4)) {
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
    if (!largest || size.width > largest.width) largest = size
  }
  return largest
}

/** Segment by segment to the one that begins a frame. */
function jpeg(bytes: Buffer): Size | null {
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
