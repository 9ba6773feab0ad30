"""Draws a line of text and writes it as the recogniser's input.

usage: draw_line.py TEXT LINE.npy [LINE.png]

LINE.npy is float32[1,3,48,W]: black DejaVu Sans on white, scaled to 48 pixels of height with its aspect ratio kept,
mapped from 0..255 to -1..1 by (x/255 - 0.5)/0.5, and filled on the right with 0, as the model was trained.
W is 320 (the width of the training images), or the next multiple of 32 that a longer line needs.
Prints the shape as --input_shape takes it: 1,3,48,W
"""

import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HEIGHT = 48
MIN_WIDTH = 320
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def load_font(size):
    for name in (FONT, "DejaVuSans.ttf"):  # Debian's place first, then wherever Pillow looks on this system
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    sys.exit("draw_line.py: no DejaVuSans.ttf found; Debian has it in fonts-dejavu-core")


def draw(text):
    """An RGB image of the text, cut to its ink with a small margin."""
    font = load_font(64)
    absent = bytes(font.getmask("\U0010ffff"))  # what the font draws for a character that it lacks
    lacking = [c for c in text if bytes(font.getmask(c)) == absent]
    if lacking:
        sys.exit(f"draw_line.py: DejaVu Sans cannot draw {' '.join(dict.fromkeys(lacking))}: use letters that it has")
    left, top, right, bottom = ImageDraw.Draw(Image.new("RGB", (1, 1))).textbbox((0, 0), text, font=font)
    if right <= left or bottom <= top:
        sys.exit("draw_line.py: the text has nothing to draw")
    margin = 12
    image = Image.new("RGB", (right - left + 2 * margin, bottom - top + 2 * margin), "white")
    ImageDraw.Draw(image).text((margin - left, margin - top), text, fill="black", font=font)
    return image


def normalise(image):
    """float32[1,3,48,W] as described at the top."""
    width = max(1, round(image.width * HEIGHT / image.height))
    pixels = np.asarray(image.resize((width, HEIGHT), Image.BILINEAR), np.float32)
    line = np.zeros((1, 3, HEIGHT, max(MIN_WIDTH, -(-width // 32) * 32)), np.float32)
    line[0, :, :, :width] = ((pixels / 255 - 0.5) / 0.5).transpose(2, 0, 1)
    return line


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    image = draw(sys.argv[1])
    if len(sys.argv) == 4:
        image.save(sys.argv[3])
    line = normalise(image)
    np.save(sys.argv[2], line)
    print(",".join(map(str, line.shape)))


main()
