//! TIFF files byte by byte: what encoders do not write, and what no honest one would.

/// A TIFF file with a single directory.
pub struct TiffBuilder {
    pub big_endian: bool,
    fields: Vec<(u16, Field)>,
    chunks: Vec<Vec<u8>>,
    tiled: bool,
}

/// The values of one tag.
#[derive(Clone)]
pub enum Field {
    Short(Vec<u16>),
    Long(Vec<u32>),
    Double(Vec<f64>),
    Ascii(&'static str),
}

impl TiffBuilder {
    /// A single band of `bits` per sample; `format` 1 is unsigned, 2 signed, 3 floating point.
    pub fn new(width: u32, height: u32, bits: u16, format: u16) -> Self {
        Self { big_endian: false, fields: Vec::new(), chunks: Vec::new(), tiled: false }
            .field(256, Field::Long(vec![width]))
            .field(257, Field::Long(vec![height]))
            .field(258, Field::Short(vec![bits]))
            .field(259, Field::Short(vec![1]))
            .field(262, Field::Short(vec![1]))
            .field(277, Field::Short(vec![1]))
            .field(339, Field::Short(vec![format]))
    }

    pub fn big_endian(mut self, big_endian: bool) -> Self {
        self.big_endian = big_endian;
        self
    }

    /// Sets a tag, replacing an earlier value.
    pub fn field(mut self, tag: u16, field: Field) -> Self {
        self.fields.retain(|entry| entry.0 != tag);
        self.fields.push((tag, field));
        self
    }

    /// Image data in strips of `rows` rows.
    pub fn strips(mut self, rows: u32, chunks: Vec<Vec<u8>>) -> Self {
        (self.chunks, self.tiled) = (chunks, false);
        self.field(278, Field::Long(vec![rows]))
    }

    /// Image data in tiles of `width` x `height`.
    pub fn tiles(mut self, width: u32, height: u32, chunks: Vec<Vec<u8>>) -> Self {
        (self.chunks, self.tiled) = (chunks, true);
        self.field(322, Field::Long(vec![width])).field(323, Field::Long(vec![height]))
    }

    /// The file: header, image data, values, directory.
    pub fn build(mut self) -> Vec<u8> {
        let mut file = if self.big_endian { b"MM\0\x2A".to_vec() } else { b"II\x2A\0".to_vec() };
        file.extend([0; 4]);
        let mut offsets = Vec::new();
        for chunk in &self.chunks {
            offsets.push(file.len() as u32);
            file.extend(chunk);
        }
        let lengths = self.chunks.iter().map(|chunk| chunk.len() as u32).collect();
        let (offset_tag, length_tag) = if self.tiled { (324, 325) } else { (273, 279) };
        // A test that sets these tags itself means to lie about them.
        for (tag, values) in [(offset_tag, offsets), (length_tag, lengths)] {
            if !self.fields.iter().any(|entry| entry.0 == tag) {
                self = self.field(tag, Field::Long(values));
            }
        }
        self.fields.sort_by_key(|entry| entry.0);

        let mut directory = self.short(self.fields.len() as u16).to_vec();
        for (tag, field) in &self.fields {
            let (kind, count, mut value) = self.encode(field);
            if value.len() > 4 {
                let at = file.len() as u32;
                file.extend(&value);
                value = self.long(at).to_vec();
            }
            value.resize(4, 0);
            directory.extend(self.short(*tag));
            directory.extend(self.short(kind));
            directory.extend(self.long(count));
            directory.extend(value);
        }
        directory.extend([0; 4]);
        let at = self.long(file.len() as u32);
        file[4..8].copy_from_slice(&at);
        file.extend(directory);
        file
    }

    fn encode(&self, field: &Field) -> (u16, u32, Vec<u8>) {
        match field {
            Field::Short(values) => {
                (3, values.len() as u32, values.iter().flat_map(|&value| self.short(value)).collect())
            }
            Field::Long(values) => {
                (4, values.len() as u32, values.iter().flat_map(|&value| self.long(value)).collect())
            }
            Field::Double(values) => {
                let double =
                    |&value: &f64| if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
                (12, values.len() as u32, values.iter().flat_map(double).collect())
            }
            Field::Ascii(text) => (2, text.len() as u32 + 1, [text.as_bytes(), &[0]].concat()),
        }
    }

    fn short(&self, value: u16) -> [u8; 2] {
        if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn long(&self, value: u32) -> [u8; 4] {
        if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }
}
